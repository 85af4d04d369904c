/**
 * Columns of an agent's call as it's told: what it found in the memory is left out, and with it the text of the answer, once
 * an item isn't its caller's any more or lies in the trash.
 */
export function toldRunColumns(run: string): { output: string; data: string } {
  const items = `jsonb_array_elements(CASE WHEN ${run}.data->>'kind' = 'files' THEN ${run}.data->'items' ELSE '[]' END)`
  const owned = `EXISTS (SELECT FROM media_items own WHERE own.id = (found->>'id')::uuid AND own.user_id = ${run}.user_id)`
  const isGone = `EXISTS (SELECT FROM ${items} found WHERE NOT ${owned})`
  const kept = `(SELECT coalesce(jsonb_agg(found), '[]') FROM ${items} found WHERE ${owned})`
  return {
    output: `CASE WHEN ${isGone} THEN '' ELSE ${run}.output END`,
    data: `CASE WHEN ${isGone} THEN jsonb_set(${run}.data, '{items}', ${kept}) ELSE ${run}.data END`,
  }
}
