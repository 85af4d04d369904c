import { z } from 'zod'
import { NOTE_BODY_MAX_BYTES, UPLOAD_MAX_BYTES } from '../constants/limits.ts'
import { mediaItemSchema, uploadFieldsSchema } from '../media.ts'
import { createNoteSchema, noteChangesSchema, noteSchema } from '../notes.ts'
import { createPageSchema } from '../pages.ts'
import { idParamsSchema } from '../timestamp.ts'
import { partialUploadStateSchema, partialUploadsSchema } from '../uploads.ts'
import { noContentSchema, routes } from './route.ts'

export const uploadsRoutes = routes({
  'POST /media/upload': {
    access: 'upload',
    scope: 'upload',
    isPatient: true,
    bodyLimit: UPLOAD_MAX_BYTES,
    summary: 'Upload a file',
    description:
      'Fields may stand before or after the file. 201 when everything is done within `wait` seconds, 202 when it goes on; the bytes are stored before either. 200 with the item that is there when the same content was uploaded before; an API token without `read` gets it without its texts, names and tags.',
    tag: 'Media',
    form: uploadFieldsSchema.extend({ file: z.file() }),
    response: { 200: mediaItemSchema, 201: mediaItemSchema, 202: mediaItemSchema },
    errors: [413, 415, 422, 429, 503, 507],
  },
  'POST /media/uploads': {
    access: 'upload',
    scope: 'upload',
    isPatient: true,
    bodyLimit: UPLOAD_MAX_BYTES,
    summary: 'Begin an upload that arrives in parts (tus 1.0)',
    description:
      'Upload-Length is the size of the file: films and recordings up to `upload_bytes` of GET /config, pictures and documents up to `still_upload_bytes`. Upload-Metadata may hold filename, fingerprint (what the sender knows the file by), generate_caption, extract_text and keep_place; with import_source (and import_preview) the file is one that another program exported and becomes an import. The answer’s Location is where the parts go.',
    tag: 'Media',
    response: { 201: noContentSchema },
    answerHeaders: { Location: 'Where the parts go, relative to this address.' },
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
    summary: 'Read how far an upload is and what it became',
    description:
      'Once all bytes are there `media_item`, or `import_id`, is what they became; what is wrong with them is the answer.',
    tag: 'Media',
    params: idParamsSchema,
    response: { 200: partialUploadStateSchema },
    errors: [409, 415, 422, 507],
  },
  'PATCH /media/uploads/:id': {
    access: 'upload',
    scope: 'upload',
    isPatient: true,
    bodyLimit: UPLOAD_MAX_BYTES,
    summary: 'Send a part (tus 1.0)',
    description:
      'The body is `application/offset+octet-stream` of at most 100 MB, Upload-Offset says where it begins, Upload-Checksum (sha1, sha256 or md5) what it must be. With the last byte the file becomes an item, or the answer is why it cannot.',
    tag: 'Media',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    answerHeaders: { 'Upload-Offset': 'How many bytes have arrived.' },
    errors: [400, 409, 412, 413, 415, 422, 429, 460, 503, 507],
  },
  'DELETE /media/uploads/:id': {
    access: 'upload',
    scope: 'upload',
    summary: 'Discard an upload',
    description: 'What it became stays.',
    tag: 'Media',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    errors: [409, 412],
  },
  'POST /notes': {
    access: 'upload',
    scope: 'upload',
    bodyLimit: NOTE_BODY_MAX_BYTES,
    summary: 'Keep a note',
    description:
      'A Markdown document of the memory, dated and searchable. 200 with the item that is there when the very same ' +
      'note was kept before.',
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
    answersStored: true,
    bodyLimit: NOTE_BODY_MAX_BYTES,
    summary: 'Write a note anew',
    description: 'What is left out stays. From then on it is found by what it says now.',
    tag: 'Media',
    params: idParamsSchema,
    body: noteChangesSchema,
    response: { 200: mediaItemSchema },
    errors: [409, 413, 429, 503, 507],
  },
  'POST /pages': {
    access: 'upload',
    scope: 'upload',
    isPatient: true,
    summary: 'Keep a web page by its address',
    description:
      'Its readable text, its title, date and address; the original is the page as it came, which is only ever saved, ' +
      'never run. PDFs and pictures at an address become such items. 200 with the item that is there when the address was ' +
      'kept before, unless `again` is true; 201 when everything is done within `wait` seconds, 202 when it goes on.',
    tag: 'Media',
    body: createPageSchema,
    response: { 200: mediaItemSchema, 201: mediaItemSchema, 202: mediaItemSchema },
    errors: [413, 415, 422, 429, 503, 507],
  },
})
