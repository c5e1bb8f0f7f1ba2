import type { Emulator } from '../../src/emulator/index.ts';

/** An upload of one part to the default volume, sent but not complete: what the body of its completion says. */
export async function sentUpload({ url, project, token }: Emulator, path: string, content: string) {
  const answer = await fetch(`${url}/v2/projects/${project}/volumes/default/cp/initialize`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ file_path: path, part_count: 1 }),
  });
  const { upload_id, parts } = (await answer.json()) as { upload_id: string; parts: { url: string }[] };
  const { headers } = await fetch(parts[0]?.url ?? '', { method: 'PUT', body: content });
  return { upload_id, file_path: path, parts: [{ part_number: 1, etag: headers.get('etag') ?? '' }] };
}
