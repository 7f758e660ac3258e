"""Arrays made from values, from nothing, or in the likeness of others."""
