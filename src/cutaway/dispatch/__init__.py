"""From a call to a specialization: binding, resolution, and the methods of `f`."""
