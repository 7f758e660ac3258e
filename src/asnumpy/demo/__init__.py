"""The demonstration: four workloads written once, run by NumPy and by asnumpy, compared and drawn."""
