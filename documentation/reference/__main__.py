"""Makes the pages anew: python -m documentation.reference"""

from __future__ import annotations

from documentation.reference import FOLDER, made_pages

if __name__ == "__main__":
    pages = made_pages()
    for name, text in pages.items():
        file = FOLDER / name
        file.parent.mkdir(exist_ok=True)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(name)
    for file in set((FOLDER / "schemas").iterdir()) - {FOLDER / name for name in pages}:
        file.unlink()
        print(f"{file.name} is gone")
