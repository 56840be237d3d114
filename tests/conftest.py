"""A headless Chromium for the tests of pages, and kernels that are compiled in silence."""

import os
import shutil

import pytest
from hypothesis import settings

from mancala_env.kernels import jit

jit.SAY_AFTER = 1e6  # tests of what a command says must not hear that this one was the first to need a kernel

ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
settings.register_profile("patient", deadline=None)  # the first example may compile; a busy machine is no fault
settings.load_profile("patient")
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _missing(why):
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(f"{why}; in CI the pages must be tested")
    pytest.skip(f"{why}: pages are not tested")


@pytest.fixture(scope="module")  # Playwright keeps an event loop running, which other tests should not meet
def browser():
    """A browser of Playwright's; skips where there is none, fails in CI."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        _missing("no Chromium on the path (apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright is not installed (pip install playwright)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=ARGUMENTS, chromium_sandbox=False)
        yield started
        started.close()
