def main() -> None:
    print("closed")
