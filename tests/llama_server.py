"""Serve a GGUF model on a free port of this machine until standard input ends: ``llama_server.py MODEL``.

The address is the only line on standard output. Needs `pip install xllamacpp`.
"""

import sys

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = 2048
parameters.n_parallel = 1
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.offline = True
parameters.warmup = False
parameters.ui = False
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1  # threads that wait for each other spin
server = xllamacpp.Server(parameters)
sys.stdout.write(f"{server.listening_address}\n")
sys.stdout.flush()
sys.stdin.read()
