// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Makes elements. Text goes in as text only: no name becomes markup.

// make("button", { type: "button", onclick }, "Copy", child...)
export function make(tag, properties = {}, ...children) {
	const e = document.createElement(tag);

	for (const [name, value] of Object.entries(properties)) {
		if (name.startsWith("aria-") || name === "role")
			e.setAttribute(name, value);
		else
			e[name] = value;
	}
	e.append(...children);
	return e;
}

export function button(text, title, onclick) {
	return make("button", { type: "button", title, onclick }, text);
}

// A <select> of names; change(index) tells which was chosen.
export function choice(label, names, change) {
	const e = make("select", { onchange: () => change(e.selectedIndex) });

	for (const name of names)
		e.append(make("option", {}, name));
	e.setAttribute("aria-label", label);
	return e;
}
