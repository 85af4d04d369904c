import { z } from 'zod'
import { UPLOAD_MAX_BYTES } from '../constants/limits.ts'
import {
  importFieldsSchema,
  importSchema,
  importServerSchema,
  importSourceSchema,
  importsQuerySchema,
  importsResponseSchema,
  removeImportQuerySchema,
} from '../imports.ts'
import { idParamsSchema } from '../timestamp.ts'
import {
  newWatchedFolderSchema,
  updateWatchedFolderSchema,
  watchedFilesQuerySchema,
  watchedFilesResponseSchema,
  watchedFolderSchema,
  watchedFoldersResponseSchema,
} from '../watched-folders.ts'
import { noContentSchema, routes } from './route.ts'

export const importsRoutes = routes({
  'POST /imports': {
    access: 'user',
    isPatient: true,
    bound: 'import',
    bodyLimit: UPLOAD_MAX_BYTES,
    summary: 'Bring things from another program',
    description:
      'A file that the program exported, as it came: conversations, or (`takeout`, `apple`, `files`) a ZIP file of pictures, films and documents. It is read whole before anything of it is stored, and what was brought before is skipped. Or as JSON the address of a server (`immich`) and a key of it, with which it is asked for what it keeps; the key is kept encrypted until the import is over. With `preview` it is only counted, and POST /imports/{id}/start brings it.',
    tag: 'My data',
    form: importFieldsSchema.extend({ file: z.file() }),
    insteadOfForm: importServerSchema,
    response: { 202: importSchema },
    errors: [403, 413, 415, 422, 429, 507],
  },
  'GET /imports': {
    access: 'user',
    summary: 'List the imports',
    description: 'Newest first.',
    tag: 'My data',
    query: importsQuerySchema,
    response: { 200: importsResponseSchema },
  },
  'GET /imports/:id': {
    access: 'user',
    summary: 'Read an import',
    tag: 'My data',
    params: idParamsSchema,
    response: { 200: importSchema },
  },
  'POST /imports/:id/start': {
    access: 'user',
    summary: 'Bring what was only counted',
    tag: 'My data',
    params: idParamsSchema,
    response: { 202: importSchema },
    errors: [409],
  },
  'POST /imports/:id/source': {
    access: 'user',
    summary: 'Count a file as that of another program',
    description:
      'Of one that was to be counted and is no export of the program that was named: the file is kept for a day (`has_file`), and need not be sent again.',
    tag: 'My data',
    params: idParamsSchema,
    body: importSourceSchema,
    response: { 202: importSchema },
    errors: [403, 409],
  },
  'DELETE /imports/:id': {
    access: 'user',
    summary: 'Cancel or undo an import',
    description:
      'One that waits or runs is cancelled and stays listed; of one that is over, all that it brought is deleted, and so is it. Thousands take minutes, in which it is `undoing` and `imported` tells how many are left: the answer waits for them, or for as many seconds as `wait` says, and is 202 with the import then. It goes on when nobody waits.',
    tag: 'My data',
    params: idParamsSchema,
    query: removeImportQuerySchema,
    response: { 202: importSchema, 204: noContentSchema },
  },
  'GET /admin/watched-folders': {
    access: 'admin',
    summary: 'List the watched folders',
    description: 'With how the last look went, or how far the one is that goes on.',
    tag: 'Admin',
    response: { 200: watchedFoldersResponseSchema },
  },
  'POST /admin/watched-folders': {
    access: 'admin',
    sessionOnly: true,
    audit: 'watched_folder.added',
    summary: 'Watch a folder for a person',
    description:
      'It lies below WATCHED_FOLDERS_ROOT, links followed. Its files are copied in; links, names that begin with a dot and what systems put there are left out.',
    tag: 'Admin',
    body: newWatchedFolderSchema,
    response: { 201: watchedFolderSchema },
    errors: [409],
  },
  'PATCH /admin/watched-folders/:id': {
    access: 'admin',
    sessionOnly: true,
    audit: 'watched_folder.changed',
    summary: 'Turn a watched folder on or off',
    tag: 'Admin',
    params: idParamsSchema,
    body: updateWatchedFolderSchema,
    response: { 200: watchedFolderSchema },
  },
  'DELETE /admin/watched-folders/:id': {
    access: 'admin',
    sessionOnly: true,
    audit: 'watched_folder.removed',
    summary: 'Watch a folder no longer',
    description: 'What was copied in stays.',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /admin/watched-folders/:id/scan': {
    access: 'admin',
    sessionOnly: true,
    audit: 'watched_folder.scanned',
    summary: 'Look through a folder now',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 202: watchedFolderSchema },
  },
  'GET /admin/watched-folders/:id/files': {
    access: 'admin',
    summary: 'List the files of a watched folder',
    description: 'Newest first; what is gone where it came from keeps its item.',
    tag: 'Admin',
    params: idParamsSchema,
    query: watchedFilesQuerySchema,
    response: { 200: watchedFilesResponseSchema },
  },
})
