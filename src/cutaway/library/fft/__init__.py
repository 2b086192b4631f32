"""Fourier transforms: NumPy's `numpy.fft`."""
