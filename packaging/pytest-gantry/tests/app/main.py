"""The app that the tests of the kit call."""


def run(name: str = "world"):
    print(f"saying hello to {name}")
    return {"message": f"Hello, {name}!"}


def fail():
    print("about to fail")
    raise ValueError("this function fails")
