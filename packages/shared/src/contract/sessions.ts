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
import { mediaItemSchema, messagePictureParamsSchema, messagePictureQuerySchema } from '../media.ts'
import { idParamsSchema } from '../timestamp.ts'
import { nextCursorHeader, noContentSchema, routes } from './route.ts'

const pictureTypes = Object.values(fileFormats)
  .filter(({ mediaType }) => mediaType === 'image')
  .map(({ contentType }) => contentType)

export const sessionsRoutes = routes({
  'GET /chat/sessions': {
    access: 'chat',
    summary: 'List the conversations',
    description:
      '`query` is looked for in names and messages. In the order of last use, newest first, pinned conversations ' +
      'come before the others. Archived ones are left out unless asked for. `in=trash` lists those in the trash alone.',
    tag: 'Chat',
    query: listChatSessionsQuerySchema,
    response: { 200: z.array(chatSessionSchema) },
    answerHeaders: nextCursorHeader,
  },
  'GET /chat/sessions/:id': {
    access: 'chat',
    summary: 'Read a conversation',
    description:
      'The newest messages of the branch that is shown, oldest first; `before` takes previous_cursor. The content ' +
      'of a message that is streaming is what has come so far.',
    tag: 'Chat',
    params: idParamsSchema,
    query: chatSessionQuerySchema,
    response: { 200: chatSessionDetailSchema },
  },
  'PATCH /chat/sessions/:id': {
    access: 'chat',
    answersStored: true,
    summary: 'Rename a conversation, complete, pin, archive or tag it, or show another branch',
    description: 'current_message_id shows the branch of that message, down to the newest message below it.',
    tag: 'Chat',
    params: idParamsSchema,
    body: updateChatSessionSchema,
    response: { 200: chatSessionSchema },
  },
  'DELETE /chat/sessions/:id': {
    access: 'chat',
    summary: 'Delete a conversation for good',
    description: 'Also one in the trash. It goes with everything in it; nothing can be restored.',
    tag: 'Chat',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /chat/sessions/delete': {
    access: 'chat',
    summary: 'Delete several conversations for good',
    description:
      'Also of those in the trash, or, with `in`, of those alone; nothing can be restored. Ids that are not there, or not the ' +
      'caller’s, are left out of the count.',
    tag: 'Chat',
    body: deleteChatSessionsSchema,
    response: { 200: deletedSchema },
  },
  'POST /chat/sessions/trash': {
    access: 'chat',
    summary: 'Move conversations to the trash',
    description:
      'Nothing but the list of the trash shows them there, links to them open nothing, and they are deleted for good ' +
      'when their days are over (`trash.days` of GET /config; 409 `trash_off` when that is 0). An answer that is being ' +
      'made ends where it is. Ids that are not there, or not the caller’s, are left out of the count.',
    tag: 'Chat',
    body: chatSessionIdsSchema,
    response: { 200: changedSchema },
    errors: [409],
  },
  'POST /chat/sessions/restore': {
    access: 'chat',
    summary: 'Restore conversations from the trash',
    description: 'They are as they were before. Ids that are not in the caller’s trash are left out of the count.',
    tag: 'Chat',
    body: chatSessionIdsSchema,
    response: { 200: changedSchema },
  },
  'POST /chat/sessions/change': {
    access: 'chat',
    summary: 'Archive, tag or move several conversations',
    description: 'Ids that are not there, or not the caller’s, are left out of the count.',
    tag: 'Chat',
    body: changeChatSessionsSchema,
    response: { 200: changedSchema },
    errors: [404, 409],
  },
  'GET /chat/tags': {
    access: 'chat',
    summary: 'List the tags of the conversations',
    tag: 'Chat',
    response: { 200: chatTagsSchema },
  },
  'GET /chat/stats': {
    access: 'chat',
    summary: 'Total the conversations',
    tag: 'Chat',
    response: { 200: chatStatsSchema },
  },
  'GET /chat/sessions/:id/export': {
    access: 'chat',
    bound: 'export',
    summary: 'Export a conversation as a file',
    description:
      'Markdown holds the branch that is shown, with times in the zone of the caller; JSON holds every branch.',
    tag: 'Chat',
    params: idParamsSchema,
    query: chatExportQuerySchema,
    file: ['text/markdown', 'application/json'],
  },
  'GET /chat/messages/:id/images/:n': {
    access: 'chat',
    signed: true,
    summary: 'Load a picture of a message',
    description: 'n counts from 0. Opens with a token or with the signed path that the message carries.',
    tag: 'Chat',
    params: messagePictureParamsSchema,
    query: messagePictureQuerySchema,
    file: pictureTypes,
    inRanges: true,
  },
  'POST /chat/messages/:id/images/:n/keep': {
    access: 'chat',
    answersStored: true,
    summary: 'Keep a picture of a message in memory',
    description:
      'Needs the permission to upload as well, an API token also the scope `upload`. 200 with the item that is there when the same picture was kept before.',
    tag: 'Chat',
    params: messagePictureParamsSchema,
    response: { 200: mediaItemSchema, 201: mediaItemSchema },
  },
  'GET /shares': {
    access: 'chat',
    summary: 'List the links to shared conversations',
    description: 'Newest first; those of one conversation where `subject_id` names it.',
    tag: 'Chat',
    query: sharesQuerySchema,
    response: { 200: sharesResponseSchema },
  },
  'POST /shares': {
    // everybody can read it, also after a token is revoked
    access: 'chat',
    sessionOnly: true,
    summary: 'Share a conversation by a link',
    description:
      'Everybody with the link reads the branch that is shown, as it is now: later messages and other branches are not in it. Of what answers cite, the names alone are shown.',
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
    summary: 'Read what a link shares',
    tag: 'Chat',
    params: shareTokenParamsSchema,
    query: publicShareQuerySchema,
    response: { 200: publicShareSchema },
    errors: [404, 429],
  },
  'GET /public/shares/:token/images/:id/:n': {
    access: 'public',
    summary: 'Load a picture of what a link shares',
    tag: 'Chat',
    params: sharePictureParamsSchema,
    query: sharePictureQuerySchema,
    file: pictureTypes,
    inRanges: true,
    errors: [404, 429],
  },
  'POST /public/shares/:token/continue': {
    access: 'chat',
    scope: 'chat',
    bound: 'import',
    summary: 'Go on with a shared conversation as one’s own',
    tag: 'Chat',
    params: shareTokenParamsSchema,
    response: { 201: continuedShareSchema },
    errors: [404, 429, 507],
  },
})
