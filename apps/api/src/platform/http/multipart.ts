import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { BadRequestError, PayloadTooLargeError, UnsupportedTypeError, ValidationError } from '../../errors.ts'
import { requireStillAllowed } from './access.ts'
import { makeStorable } from './storable-texts.ts'

const MAX_FIELD_BYTES = 64 * 1024
const MAX_FIELDS = 50

/**
 * Reads the fields of a form without files: multipart form data, or a urlencoded or JSON body that Fastify has parsed.
 * @throws BadRequestError when the form is malformed; UnsupportedTypeError when it contains a file; PayloadTooLargeError.
 */
export async function readFormFields(request: FastifyRequest): Promise<unknown> {
  if (!request.isMultipart()) return request.body
  const fields: Record<string, unknown> = {}
  try {
    const limits = { fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: 1, parts: MAX_FIELDS }
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') {
        part.file.resume()
        throw new UnsupportedTypeError(`The field “${part.fieldname}” contains a file; a text was expected.`)
      }
      if (part.valueTruncated) throw new PayloadTooLargeError(`The field “${part.fieldname}” is too large.`)
      setField(fields, part.fieldname, part.value)
    }
  } catch (error) {
    throw asFormError(error)
  }
  await requireStillAllowed(request)
  makeStorable(fields)
  return fields
}

/** Stored bytes that can still be discarded. */
interface Discardable {
  discard(): Promise<void>
}

/** A form with one file. */
interface ReadUpload<File extends Discardable> {
  fields: Record<string, unknown>
  /** File name stated by the client. */
  name: string
  file: File
}

interface UploadOptions<File extends Discardable> {
  maxFileBytes: number
  receive(content: AsyncIterable<Uint8Array>): Promise<File>
  /** Fields that may be repeated; their values are lists. */
  repeated?: string[]
}

/**
 * Reads a form with one file in the field `file`, at any position, which is streamed to `receive`. A refusal is only sent
 * after the whole body, because browsers don't read a response while they're sending.
 * @throws ValidationError when there is no file or more than one, PayloadTooLargeError when it exceeds the limit,
 * BadRequestError when the form is malformed or truncated, UnauthorizedError when its sender was signed out, and whatever
 * `receive` throws. Nothing is left behind then.
 */
export async function readUpload<File extends Discardable>(
  request: FastifyRequest,
  options: UploadOptions<File>,
): Promise<ReadUpload<File>> {
  const { fields, upload } = await readFileForm(request, options)
  if (upload === undefined) throw missingFileError()
  return { fields, ...upload }
}

/** Reads a form like readUpload, except that the file may be missing. */
export async function readOptionalUpload<File extends Discardable>(
  request: FastifyRequest,
  options: UploadOptions<File>,
): Promise<{ fields: Record<string, unknown>; upload: Omit<ReadUpload<File>, 'fields'> | undefined }> {
  return readFileForm(request, options)
}

async function readFileForm<File extends Discardable>(request: FastifyRequest, options: UploadOptions<File>) {
  if (!request.isMultipart()) throw new UnsupportedTypeError('Send the file as multipart form-data.')
  const fields: Record<string, unknown> = {}
  let upload: { name: string; file: File } | undefined
  let refusal: unknown
  const refuse = (error: unknown) => {
    refusal ??= error
  }
  const takeFile = async (part: MultipartFile) => {
    if (part.fieldname !== 'file') refuse(missingFileError())
    else if (upload !== undefined) refuse(new ValidationError('Send one file at a time.', { code: 'several_files' }))
    if (refusal === undefined) {
      try {
        // browsers only encode the quotation mark of a name, not the percent sign
        upload = {
          name: part.filename.replaceAll('%22', '"'),
          file: await options.receive(bounded(part, options.maxFileBytes)),
        }
      } catch (error) {
        refuse(error)
      }
    }
    part.file.resume()
  }
  const takeField = (name: string, value: unknown) => {
    const isRepeated = options.repeated?.includes(name) ?? false
    setField(fields, name, isRepeated ? [...((fields[name] as unknown[] | undefined) ?? []), value] : value)
  }
  const takeParts = async () => {
    const limits = { fileSize: options.maxFileBytes, fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, parts: MAX_FIELDS }
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') await takeFile(part)
      else if (part.valueTruncated) refuse(new PayloadTooLargeError(`The field “${part.fieldname}” is too large.`))
      else takeField(part.fieldname, part.value)
    }
    if (refusal !== undefined) throw refusal
  }
  try {
    await takeParts().catch((error: unknown) => {
      throw asFormError(error)
    })
    await requireStillAllowed(request)
  } catch (error) {
    await upload?.file.discard()
    throw error
  }
  makeStorable(fields)
  return { fields, upload }
}

function missingFileError(): ValidationError {
  return new ValidationError('Send the file in the field “file”.', { code: 'no_file' })
}

/** Stream of a file up to the limit; not destroyed when the reader stops, because the rest of the form must still be read. */
async function* bounded({ file }: MultipartFile, maxFileBytes: number): AsyncGenerator<Uint8Array> {
  yield* file.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  if (file.truncated) {
    throw new PayloadTooLargeError(`This file is larger than ${Math.floor(maxFileBytes / 1024 ** 2)} MB.`, {
      code: 'file_too_large',
    })
  }
}

/** Sets a field; the last value of a repeated one wins. */
function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
}

function asFormError(error: unknown): unknown {
  if (!(error instanceof Error) || 'status' in error) return error
  const status = 'statusCode' in error ? error.statusCode : 400
  if (status === 413) return new PayloadTooLargeError('The form is too large.', { cause: error })
  if (status === 406 || status === 415) return new UnsupportedTypeError('This content type is not accepted here.')
  return new BadRequestError('The form can’t be parsed.', { code: 'invalid_form', cause: error })
}
