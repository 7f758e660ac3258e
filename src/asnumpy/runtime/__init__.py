"""The machinery's face: devices, streams, memory, what is recorded, what this machine offers."""
