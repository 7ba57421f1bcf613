#!/usr/bin/env python3
"""fast-feature, a flag server that speaks OFREP, with the flags of the benchmark: peer.py PORT COUNT"""
import sys

import uvicorn
from fast_feature.core import Flag
from fast_feature.ofrep import OfrepRouter
from fast_feature.storage.inmemory import InMemoryFlagRepository
from fastapi import FastAPI

port, count = map(int, sys.argv[1:3])
rule = {"if": [{"and": [{"==": [{"var": "country"}, "DE"]}, {">=": [{"var": "tier"}, 2]},
                        {"ends_with": [{"var": "email"}, "@example.org"]}]}, "on", "off"]}
flags = [Flag(key=f"bench-{number}", variants={"on": True, "off": False}, default_variant="off", targeting=rule)
         for number in range(count)]
app = FastAPI()
app.include_router(OfrepRouter.build(InMemoryFlagRepository(flags)))
uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)
