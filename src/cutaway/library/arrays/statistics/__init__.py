"""Arrays in few numbers: sums, extremes, moments, quantiles, histograms."""
