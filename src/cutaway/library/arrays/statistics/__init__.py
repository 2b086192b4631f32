"""Statistics of arrays: sums, extremes, moments, quantiles, histograms."""
