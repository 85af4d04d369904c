import type { FastifyRequest } from 'fastify'
import { BadRequestError, PayloadTooLargeError, UnsupportedTypeError } from '../errors.ts'
import { makeStorable } from './text.ts'

const FIELD_MAX_BYTES = 64 * 1024
const FIELDS_MAX = 50

/**
 * Reads the fields of a form without files: multipart form-data, or what Fastify has already read from an urlencoded
 * or JSON body.
 * @throws BadRequestError when the form is broken; UnsupportedTypeError when it holds a file; PayloadTooLargeError.
 */
export async function readFormFields(request: FastifyRequest): Promise<unknown> {
  if (!request.isMultipart()) return request.body
  const fields: Record<string, unknown> = {}
  try {
    const limits = { fieldSize: FIELD_MAX_BYTES, fields: FIELDS_MAX, files: 1, parts: FIELDS_MAX }
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') {
        part.file.resume()
        throw new UnsupportedTypeError(`The field “${part.fieldname}” holds a file; a text was expected.`)
      }
      if (part.valueTruncated) throw new PayloadTooLargeError(`The field “${part.fieldname}” is too large.`)
      // a field that is sent twice counts with its last value
      Object.defineProperty(fields, part.fieldname, {
        value: part.value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
  } catch (error) {
    throw asFormError(error)
  }
  makeStorable(fields)
  return fields
}

function asFormError(error: unknown): unknown {
  if (!(error instanceof Error) || 'status' in error) return error
  const status = 'statusCode' in error ? error.statusCode : 400
  if (status === 413) return new PayloadTooLargeError('The form is too large.', { cause: error })
  if (status === 406 || status === 415) return new UnsupportedTypeError('This content type is not accepted here.')
  return new BadRequestError('The form cannot be read.', { code: 'invalid_form', cause: error })
}
