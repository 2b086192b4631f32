"""The functions that compiled code can call, each registered once, by area (`areas`)."""
