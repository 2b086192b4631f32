"""GPUs as they are there: devices, memory, streams, events and launches, through the driver."""
