import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestAccount, TestApp } from './test-app.ts'

const encode = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

/** Requests of a program that uploads in chunks, as `person` by default. */
export function partialUploadCallsOf(mira: TestApp, defaultAccount: TestAccount) {
  const call = (method: 'post' | 'head' | 'patch' | 'delete' | 'get', path: string, account = defaultAccount) =>
    mira.request[method](path).auth(account.token, { type: 'bearer' }).set('tus-resumable', '1.0.0')
  const requestUpload = (
    size: number,
    { account = defaultAccount, ...metadata }: { account?: TestAccount } & Record<string, unknown> = {},
  ) =>
    call('post', '/api/media/uploads', account)
      .set('upload-length', String(size))
      .set('upload-metadata', encode({ filename: 'a photo.jpg', ...(metadata as Record<string, string>) }))
  const createUpload = async (size: number, options: Parameters<typeof requestUpload>[1] = {}) => {
    const { headers } = await requestUpload(size, options).expect(201)
    return new URL(headers.location ?? '', 'http://localhost/api/media/uploads').pathname
  }
  const send = (path: string, offset: number, content: Buffer, account = defaultAccount) =>
    call('patch', path, account)
      .set('upload-offset', String(offset))
      .set('content-type', 'application/offset+octet-stream')
      .send(content)
  const partialFiles = (userId = defaultAccount.user.id) =>
    readdirSync(join(mira.context.config.dataDir, 'files/partial', userId))
  const rowOf = (path: string) =>
    mira.context.database.prisma.partialUpload.findUniqueOrThrow({ where: { id: path.split('/').at(-1) ?? '' } })
  return { call, requestUpload, createUpload, send, partialFiles, rowOf }
}

export type PartialUploadCalls = ReturnType<typeof partialUploadCallsOf>
