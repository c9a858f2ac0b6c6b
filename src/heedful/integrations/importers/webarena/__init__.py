"""WebArena's render_*.html: page.py cuts a page into steps, steps.py makes items of them."""
