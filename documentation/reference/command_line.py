def make():
    return {}
