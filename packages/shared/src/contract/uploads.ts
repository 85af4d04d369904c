import { z } from 'zod'
import { NOTE_BODY_MAX_BYTES, UPLOAD_MAX_BYTES } from '../constants/limits.ts'
import { idParamsSchema } from '../ids-and-pages.ts'
import { mediaItemSchema, uploadFieldsSchema } from '../media.ts'
import {
  createNoteSchema,
  createPageSchema,
  importFieldsSchema,
  importSchema,
  importServerSchema,
  importSourceSchema,
  importsQuerySchema,
  importsResponseSchema,
  newWatchedFolderSchema,
  noteChangesSchema,
  noteSchema,
  partialUploadStateSchema,
  partialUploadsSchema,
  removeImportQuerySchema,
  updateWatchedFolderSchema,
  watchedFilesQuerySchema,
  watchedFilesResponseSchema,
  watchedFolderSchema,
  watchedFoldersResponseSchema,
} from '../uploads.ts'
import { noContentSchema, routes } from './route.ts'

export const importsRoutes = routes({
  'POST /imports': {
    access: 'user',
    hasNoBodyTimeout: true,
    userLimit: 'import',
    bodyLimit: UPLOAD_MAX_BYTES,
    summary: 'Import data from another program',
    description:
      'A file as the program exported it: conversations, or (`takeout`, `apple`, `files`) a ZIP file of pictures, ' +
      'videos and documents. It is read completely before anything is stored, and what was imported before is ' +
      'skipped. Or, as JSON, the address of a server (`immich`) and an API key for it; the key is stored encrypted ' +
      'until the import ends. With `preview`, items are only counted, and POST /imports/{id}/start imports them.',
    tag: 'My data',
    form: importFieldsSchema.extend({ file: z.file() }),
    jsonAlternative: importServerSchema,
    response: { 202: importSchema },
    errors: [403, 413, 415, 422, 429, 503, 507],
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
    summary: 'Start an import after its preview',
    tag: 'My data',
    params: idParamsSchema,
    response: { 202: importSchema },
    errors: [409],
  },
  'POST /imports/:id/source': {
    access: 'user',
    summary: 'Preview a file as the export of another program',
    description:
      'For a preview whose file is not an export of the named program: the file is kept for a day (`has_file`), ' +
      'and need not be sent again.',
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
      'A waiting or running import is cancelled and stays listed. For one that is over, everything it imported ' +
      'moves to the trash, even what was uploaded again since, and the import is deleted; without a trash, what it ' +
      'imported is deleted permanently. Thousands of items take minutes, during which the state is `undoing` and ' +
      '`imported` counts the remaining ones: the response waits for the end, or for `wait` seconds, and is then ' +
      '202 with the import. The work continues when nobody waits.',
    tag: 'My data',
    params: idParamsSchema,
    query: removeImportQuerySchema,
    response: { 202: importSchema, 204: noContentSchema },
  },
  'GET /admin/watched-folders': {
    access: 'admin',
    summary: 'List the watched folders',
    description: 'With the result of the last scan, or the progress of the current one.',
    tag: 'Admin',
    response: { 200: watchedFoldersResponseSchema },
  },
  'POST /admin/watched-folders': {
    access: 'admin',
    sessionOnly: true,
    audit: 'watched_folder.added',
    summary: 'Watch a folder for a user',
    description:
      'The folder must be below WATCHED_FOLDERS_ROOT, links followed. Its files are copied; links, names that ' +
      'begin with a dot and files that systems put there are left out.',
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
    summary: 'Stop watching a folder',
    description: 'Copied files stay.',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /admin/watched-folders/:id/scan': {
    access: 'admin',
    sessionOnly: true,
    audit: 'watched_folder.scanned',
    summary: 'Scan a watched folder now',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 202: watchedFolderSchema },
  },
  'GET /admin/watched-folders/:id/files': {
    access: 'admin',
    summary: 'List the files of a watched folder',
    description: 'Newest first; files that are gone from the folder keep their items.',
    tag: 'Admin',
    params: idParamsSchema,
    query: watchedFilesQuerySchema,
    response: { 200: watchedFilesResponseSchema },
  },
})

export const uploadsRoutes = routes({
  'POST /media/upload': {
    access: 'upload',
    scope: 'upload',
    hasNoBodyTimeout: true,
    bodyLimit: UPLOAD_MAX_BYTES,
    summary: 'Upload a file',
    description:
      'Fields may come before or after the file. 201 when processing ends within `wait` seconds, 202 when it ' +
      'continues; the bytes are stored before either. 200 with the existing item when the same content was ' +
      'uploaded before; an API token without `read` receives it without its texts, names and tags.',
    tag: 'Media',
    form: uploadFieldsSchema.extend({ file: z.file() }),
    response: { 200: mediaItemSchema, 201: mediaItemSchema, 202: mediaItemSchema },
    errors: [413, 415, 422, 429, 503, 507],
  },
  'POST /media/uploads': {
    access: 'upload',
    scope: 'upload',
    hasNoBodyTimeout: true,
    bodyLimit: UPLOAD_MAX_BYTES,
    summary: 'Start an upload in parts (tus 1.0)',
    description:
      'Upload-Length is the size of the file: videos and recordings up to `upload_bytes` of GET /config, pictures ' +
      'and documents up to `still_upload_bytes`. Upload-Metadata may contain filename, fingerprint (the sender’s ' +
      'own identifier of the file), generate_caption, extract_text and keep_place; with import_source (and ' +
      'import_preview) the file is an export of another program and becomes an import. The parts go to the ' +
      'response’s Location.',
    tag: 'Media',
    response: { 201: noContentSchema },
    responseHeaders: { Location: 'Address for the parts, relative to this one.' },
    errors: [400, 412, 413, 422, 429, 503, 507],
  },
  'GET /media/uploads': {
    access: 'upload',
    scope: 'upload',
    summary: 'List unfinished uploads',
    tag: 'Media',
    response: { 200: partialUploadsSchema },
  },
  'GET /media/uploads/:id': {
    access: 'upload',
    scope: 'upload',
    summary: 'Read the progress and the result of an upload',
    description:
      'Once all bytes have arrived, the result is `media_item` or `import_id`; a file that cannot be used gives ' +
      'its error.',
    tag: 'Media',
    params: idParamsSchema,
    response: { 200: partialUploadStateSchema },
    errors: [415, 422, 423, 507],
  },
  'PATCH /media/uploads/:id': {
    access: 'upload',
    scope: 'upload',
    hasNoBodyTimeout: true,
    bodyLimit: UPLOAD_MAX_BYTES,
    summary: 'Send a part (tus 1.0)',
    description:
      'The body is `application/offset+octet-stream` of at most 100 MB, Upload-Offset is where it begins, and ' +
      'Upload-Checksum (sha1, sha256 or md5) is its hash. With the last byte the file becomes an item, or the ' +
      'response is the error.',
    tag: 'Media',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    responseHeaders: { 'Upload-Offset': 'Number of bytes received so far.' },
    errors: [400, 409, 412, 413, 415, 422, 423, 429, 460, 503, 507],
  },
  'DELETE /media/uploads/:id': {
    access: 'upload',
    scope: 'upload',
    summary: 'Discard an upload',
    description: 'An item or import made from it stays.',
    tag: 'Media',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    errors: [412, 423],
  },
  'POST /notes': {
    access: 'upload',
    scope: 'upload',
    bodyLimit: NOTE_BODY_MAX_BYTES,
    summary: 'Create a note',
    description:
      'A Markdown document in the library, dated and searchable. 200 with the existing item when the very same ' +
      'note was created before.',
    tag: 'Media',
    body: createNoteSchema,
    response: { 200: mediaItemSchema, 201: mediaItemSchema },
    errors: [413, 429, 503, 507],
  },
  'GET /notes/:id': {
    access: 'upload',
    summary: 'Read a note as it was written',
    tag: 'Media',
    params: idParamsSchema,
    response: { 200: noteSchema },
  },
  'PATCH /notes/:id': {
    access: 'upload',
    scope: 'upload',
    respondsWithContent: true,
    bodyLimit: NOTE_BODY_MAX_BYTES,
    summary: 'Change a note',
    description:
      'Omitted fields stay. Searches find its new text. 409 `note_changed` when the note no longer has the ' +
      '`sha256` given as `based_on`, or when another change comes first.',
    tag: 'Media',
    params: idParamsSchema,
    body: noteChangesSchema,
    response: { 200: mediaItemSchema },
    errors: [409, 413, 429, 503, 507],
  },
  'POST /pages': {
    access: 'upload',
    scope: 'upload',
    hasNoBodyTimeout: true,
    summary: 'Save a web page by its address',
    description:
      'Stores its readable text, title, date and address; the original page is only stored, never run. PDFs and ' +
      'pictures at an address become items of their own kind. 200 with the existing item when the address was ' +
      'saved before, unless `again` is true; 201 when processing ends within `wait` seconds, 202 when it continues.',
    tag: 'Media',
    body: createPageSchema,
    response: { 200: mediaItemSchema, 201: mediaItemSchema, 202: mediaItemSchema },
    errors: [413, 415, 422, 429, 503, 507],
  },
})
