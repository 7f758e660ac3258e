"""Arrays in files, text and raw bytes."""
