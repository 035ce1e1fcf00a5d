// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Gives the tables of the page: base64 of deflated JSON, which the browser
// unpacks itself.
import { Table } from "./columns.mjs";

export async function unpack(element) {
	const bytes = Uint8Array.from(atob(element.textContent.trim()),
				      (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream()
		.pipeThrough(new DecompressionStream("deflate"));
	const tables = await new Response(stream).json();

	return new Map(Object.entries(tables)
		.map(([id, data]) => [id, new Table(data)]));
}
