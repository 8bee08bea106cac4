# SPDX-License-Identifier: Apache-2.0
"""What the tests of gemmill reproduce share."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from calling import Command, gemmill  # noqa: E402

DEVICES = {1: "0", 2: "0,2", 4: "0,2,4,6", 8: "0-7"}
