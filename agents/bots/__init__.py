"""Programs that play by the text protocol of docs/protocol.md: as clients, as servers, checked and limited."""
