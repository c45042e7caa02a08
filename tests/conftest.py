"""Settings for the whole suite: no network, and property tests that don't mind a busy machine."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

from hypothesis import HealthCheck, settings

settings.register_profile("sciverify", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sciverify")

# In this process from now on, and in every Python that a test starts.
OFFLINE = Path(__file__).with_name("offline")
runpy.run_path(str(OFFLINE / "sitecustomize.py"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(OFFLINE), os.environ.get("PYTHONPATH")]))
