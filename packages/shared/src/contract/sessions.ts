import { z } from 'zod'
import {
  changeChatSessionsSchema,
  changedSchema,
  chatExportQuerySchema,
  chatSessionDetailSchema,
  chatSessionIdsSchema,
  chatSessionQuerySchema,
  chatSessionSchema,
  chatStatsSchema,
  chatTagsSchema,
  continuedShareSchema,
  createShareSchema,
  deleteChatSessionsSchema,
  deletedSchema,
  listChatSessionsQuerySchema,
  publicShareQuerySchema,
  publicShareSchema,
  sharePictureParamsSchema,
  sharePictureQuerySchema,
  shareSchema,
  sharesQuerySchema,
  sharesResponseSchema,
  shareTokenParamsSchema,
  updateChatSessionSchema,
} from '../chat-sessions.ts'
import { fileFormats } from '../constants/formats.ts'
import { idParamsSchema } from '../ids-and-pages.ts'
import { mediaItemSchema, messagePictureParamsSchema, messagePictureQuerySchema } from '../media.ts'
import { nextCursorHeader, noContentSchema, routes } from './route.ts'

const pictureTypes = Object.values(fileFormats)
  .filter(({ mediaType }) => mediaType === 'image')
  .map(({ contentType }) => contentType)

export const sessionsRoutes = routes({
  'GET /chat/sessions': {
    access: 'chat',
    summary: 'List the conversations',
    description:
      '`query` searches names and messages. When sorted by last use, newest first, pinned conversations come ' +
      'before the others. Archived ones are left out unless requested. `in=trash` lists only trashed ones.',
    tag: 'Chat',
    query: listChatSessionsQuerySchema,
    response: { 200: z.array(chatSessionSchema) },
    responseHeaders: nextCursorHeader,
  },
  'GET /chat/sessions/:id': {
    access: 'chat',
    summary: 'Read a conversation',
    description:
      'The newest messages of the shown branch, oldest first; `before` takes previous_cursor. A message that is ' +
      'still streaming has the content received so far.',
    tag: 'Chat',
    params: idParamsSchema,
    query: chatSessionQuerySchema,
    response: { 200: chatSessionDetailSchema },
  },
  'PATCH /chat/sessions/:id': {
    access: 'chat',
    respondsWithContent: true,
    summary: 'Rename, complete, pin, archive or tag a conversation, or show another branch',
    description: 'current_message_id shows the branch of that message, down to the newest message below it.',
    tag: 'Chat',
    params: idParamsSchema,
    body: updateChatSessionSchema,
    response: { 200: chatSessionSchema },
  },
  'DELETE /chat/sessions/:id': {
    access: 'chat',
    summary: 'Delete a conversation permanently',
    description: 'Also works for trashed ones. Everything in it is deleted; nothing can be restored.',
    tag: 'Chat',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /chat/sessions/delete': {
    access: 'chat',
    summary: 'Delete several conversations permanently',
    description:
      'Includes trashed ones, or, with `in`, only those; nothing can be restored. The count skips unknown ids and ' +
      'other users’ conversations.',
    tag: 'Chat',
    body: deleteChatSessionsSchema,
    response: { 200: deletedSchema },
  },
  'POST /chat/sessions/trash': {
    access: 'chat',
    summary: 'Move conversations to the trash',
    description:
      'Trashed conversations appear only in the trash list, links to them stop working, and they are deleted ' +
      'permanently after `trash.days` of GET /config (409 `trash_off` when that is 0). An answer in progress is ' +
      'stopped. The count skips unknown ids and other users’ conversations.',
    tag: 'Chat',
    body: chatSessionIdsSchema,
    response: { 200: changedSchema },
    errors: [409],
  },
  'POST /chat/sessions/restore': {
    access: 'chat',
    summary: 'Restore conversations from the trash',
    description: 'Conversations are as they were before. The count skips ids that are not in the caller’s trash.',
    tag: 'Chat',
    body: chatSessionIdsSchema,
    response: { 200: changedSchema },
  },
  'POST /chat/sessions/change': {
    access: 'chat',
    summary: 'Archive, tag or move several conversations',
    description: 'The count skips unknown ids and other users’ conversations.',
    tag: 'Chat',
    body: changeChatSessionsSchema,
    response: { 200: changedSchema },
    errors: [404, 409],
  },
  'GET /chat/tags': {
    access: 'chat',
    summary: 'List the tags of conversations',
    tag: 'Chat',
    response: { 200: chatTagsSchema },
  },
  'GET /chat/stats': {
    access: 'chat',
    summary: 'Read the totals of the conversations',
    tag: 'Chat',
    response: { 200: chatStatsSchema },
  },
  'GET /chat/sessions/:id/export': {
    access: 'chat',
    userLimit: 'export',
    summary: 'Export a conversation as a file',
    description:
      'Markdown contains the shown branch, with times in the caller’s time zone; JSON contains every branch.',
    tag: 'Chat',
    params: idParamsSchema,
    query: chatExportQuerySchema,
    file: ['text/markdown', 'application/json'],
  },
  'GET /chat/messages/:id/images/:n': {
    access: 'chat',
    signed: true,
    summary: 'Load a picture of a message',
    description: 'n counts from 0. Opens with a token or with the signed path of the message.',
    tag: 'Chat',
    params: messagePictureParamsSchema,
    query: messagePictureQuerySchema,
    file: pictureTypes,
    supportsRanges: true,
  },
  'POST /chat/messages/:id/images/:n/keep': {
    access: 'chat',
    respondsWithContent: true,
    summary: 'Save a picture of a message to the library',
    description:
      'Also needs the permission to upload and, for an API token, the scope `upload`. 200 with the existing item ' +
      'when the same picture was saved before.',
    tag: 'Chat',
    params: messagePictureParamsSchema,
    response: { 200: mediaItemSchema, 201: mediaItemSchema },
  },
  'GET /shares': {
    access: 'chat',
    summary: 'List the links to shared conversations',
    description: 'Newest first; with `subject_id`, those of one conversation.',
    tag: 'Chat',
    query: sharesQuerySchema,
    response: { 200: sharesResponseSchema },
  },
  'POST /shares': {
    access: 'chat',
    // no API tokens: the link would outlive the token
    sessionOnly: true,
    summary: 'Share a conversation by link',
    description:
      'Anyone with the link can read the shown branch as it is now; later messages and other branches are not ' +
      'included. Only the names of cited sources are shown.',
    tag: 'Chat',
    body: createShareSchema,
    response: { 201: shareSchema },
    errors: [404, 409],
  },
  'DELETE /shares/:id': {
    access: 'chat',
    summary: 'Revoke a link',
    tag: 'Chat',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'GET /public/shares/:token': {
    access: 'public',
    summary: 'Read a shared conversation',
    tag: 'Chat',
    params: shareTokenParamsSchema,
    query: publicShareQuerySchema,
    response: { 200: publicShareSchema },
    errors: [404, 429],
  },
  'GET /public/shares/:token/images/:id/:n': {
    access: 'public',
    summary: 'Load a picture of a shared conversation',
    tag: 'Chat',
    params: sharePictureParamsSchema,
    query: sharePictureQuerySchema,
    file: pictureTypes,
    supportsRanges: true,
    errors: [404, 429],
  },
  'POST /public/shares/:token/continue': {
    access: 'chat',
    scope: 'chat',
    userLimit: 'import',
    summary: 'Continue a shared conversation as one’s own',
    tag: 'Chat',
    params: shareTokenParamsSchema,
    response: { 201: continuedShareSchema },
    errors: [404, 429, 507],
  },
})
