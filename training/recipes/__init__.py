"""Short complete programs, one for each training stack: ``python -m training.recipes.NAME``. Copy and change them."""
