"""From a call to a specialization: binding, resolution, what `f` can be asked."""
