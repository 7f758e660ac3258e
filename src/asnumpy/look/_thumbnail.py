"""A picture."""
thumbnail = None
