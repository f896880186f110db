import os


def place() -> str:
    return os.getcwd()
