"""The GPUs of the machine: devices, memory, streams, events and launches, through the driver."""
