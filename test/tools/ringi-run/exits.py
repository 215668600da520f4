#!/usr/bin/env python3
"""Runs a command that must give a certain exit code, and prints what it wrote.

usage: exits.py CODE COMMAND...
"""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print(done.stdout)
if done.returncode != int(sys.argv[1]):
    print(f"exit code {done.returncode}, expected {sys.argv[1]}")
    sys.exit(1)
