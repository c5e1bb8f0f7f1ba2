import type { FilePart } from '../contract/scalars.ts';

export type MultipartFields = Record<string, string | FilePart>;

/** Encodes fields as `multipart/form-data`, in their order. The body is a Buffer because it is sent with its length. */
export async function encodeMultipart(fields: MultipartFields): Promise<{ body: Buffer; type: string }> {
  const form = new FormData();
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field === 'string') form.append(name, field);
    else form.append(name, new Blob([field.content], { type: field.type }), field.filename);
  }
  const response = new Response(form);
  return { body: Buffer.from(await response.arrayBuffer()), type: response.headers.get('content-type') ?? '' };
}
