import { raw, type SqlText, sql } from './sql.ts'

/** Steps of a statement that forget what a person was told of the items of a step and what activities say of them. */
export const forgetItems = (userId: string, deletedIds: string): SqlText => sql`
  untold AS (DELETE FROM notifications WHERE user_id = ${userId} AND subject_id IN (SELECT id FROM ${raw(deletedIds)})),
  forgotten AS (
    UPDATE activities SET detail = jsonb_build_object('action', detail -> 'action')
    WHERE user_id = ${userId} AND subject_id IN (SELECT id FROM ${raw(deletedIds)})
  )`
