/**
 * SQL for the output and data of an agent run, without items that were deleted or trashed since. If there are any, the
 * output is empty, because its text may name them. Trashed items have no `user_id`.
 */
export function visibleRunColumns(run: string): { output: string; data: string } {
  const items = `jsonb_array_elements(CASE WHEN ${run}.data->>'kind' = 'files' THEN ${run}.data->'items' ELSE '[]' END)`
  const owned = `EXISTS (SELECT FROM media_items own WHERE own.id = (item->>'id')::uuid AND own.user_id = ${run}.user_id)`
  const isGone = `EXISTS (SELECT FROM ${items} item WHERE NOT ${owned})`
  const visibleItems = `(SELECT coalesce(jsonb_agg(item), '[]') FROM ${items} item WHERE ${owned})`
  return {
    output: `CASE WHEN ${isGone} THEN '' ELSE ${run}.output END`,
    data: `CASE WHEN ${isGone} THEN jsonb_set(${run}.data, '{items}', ${visibleItems}) ELSE ${run}.data END`,
  }
}
