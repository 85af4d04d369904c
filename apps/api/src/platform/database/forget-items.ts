/** Steps of a statement that forget what the person `$1` was told of items and what activities say of them. */
export const forgetItems = (deletedIds: string) => `
  untold AS (DELETE FROM notifications WHERE user_id = $1 AND subject_id IN (SELECT id FROM ${deletedIds})),
  forgotten AS (
    UPDATE activities SET detail = jsonb_build_object('action', detail -> 'action')
    WHERE user_id = $1 AND subject_id IN (SELECT id FROM ${deletedIds})
  )`
