"""Tables as plain files for other programs."""

import pandas as pd

_FORMULA = r"^([=+\-@\t\r])"


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an apostrophe before each text that a spreadsheet would run as a formula."""
    kinds = frame.dtypes.items()
    texts = [str(column) for column, kind in kinds if str(kind).startswith(("str", "object"))]
    shown = {column: frame[column].str.replace(_FORMULA, r"'\1", regex=True) for column in texts}
    return frame.assign(**shown)
