"""Labels of pairs that follow from the labels of other pairs."""
