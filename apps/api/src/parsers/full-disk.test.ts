import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { wordOf, zipOf } from '../../test/document-files.ts'
import { chatGptExport } from '../../test/exported-chats.ts'
import { plainImage } from '../../test/pictures.ts'
import { StorageFullError } from '../errors.ts'
import type { TaskList } from '../platform/sandbox/process-protocol.ts'
import { withoutSandbox } from '../platform/sandbox/sandboxing.ts'
import { createTaskProcess, type TaskProcess } from '../platform/sandbox/task-process.ts'
import { openZip } from '../platform/storage/zip.ts'
import type { ArchiveTasks } from './chat-archives/archive-process.ts'
import type { PictureTasks } from './image/picture-process.ts'
import type { MediaArchiveTasks } from './media-archives/media-archive-process.ts'
import type { DocumentTasks } from './office/document-process.ts'
import { asMediaError } from './video/av.ts'

/** Device on which every write fails with ENOSPC. */
const FULL = '/dev/full'
const options = { timeoutMs: 60_000 }

let folder: string
let chats: string
let pictures: string
let document: string
let scan: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-full-disk-'))
  const picture = await plainImage({ width: 6, height: 4, format: 'png' })
  const write = async (name: string, content: Buffer) => {
    await writeFile(join(folder, name), content)
    return join(folder, name)
  }
  chats = await write('chats.zip', await chatGptExport(picture))
  pictures = await write('pictures.zip', await zipOf({ 'boat.png': picture }))
  document = await write('letter.docx', await wordOf('<w:p><w:r><w:t>Dear Anna</w:t></w:r></w:p>'))
  scan = await write('scan.tif', await plainImage({ format: 'tiff' }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const startedProcesses: TaskProcess<TaskList>[] = []
afterEach(async () => {
  for (const child of startedProcesses.splice(0)) await child.close()
})

function start<Tasks extends TaskList>(module: string): TaskProcess<Tasks> {
  const processOptions = { sandboxing: withoutSandbox(folder), module: new URL(module, import.meta.url), name: 'test' }
  const child = createTaskProcess<Tasks>({ ...processOptions, memoryLimitMb: 400 })
  startedProcesses.push(child as unknown as TaskProcess<TaskList>)
  return child
}

/** Folder for results in which writing the named one fails. */
async function folderWithFull(name: string): Promise<string> {
  const results = await mkdtemp(join(folder, 'results-'))
  await symlink(FULL, join(results, name))
  return results
}

describe.skipIf(!existsSync(FULL))('a full disk throws a StorageFullError', () => {
  test('when listing or unpacking an image archive', async () => {
    const child = start<MediaArchiveTasks>('./media-archives/media-archive-process.ts')
    const file = { filename: pictures, source: 'files' as const, maxFileBytes: 1e9 }
    const listing = child.run('list', { ...file, folder: await folderWithFull('files.ndjson') }, options)
    await expect(listing).rejects.toBeInstanceOf(StorageFullError)
    const zip = await openZip(pictures)
    zip.close()
    const files = [...zip.entryInfo.values()]
    const unpacking = child.run(
      'unpack',
      { filename: pictures, files, folder: await folderWithFull('file-1') },
      options,
    )
    await expect(unpacking).rejects.toBeInstanceOf(StorageFullError)
  })

  test.each(['conversations.ndjson', 'picture-1'])('when reading a chat export into %s', async (name) => {
    const child = start<ArchiveTasks>('./chat-archives/archive-process.ts')
    const file = { filename: chats, source: 'chatgpt' as const, folder: await folderWithFull(name) }
    await expect(child.run('read', file, options)).rejects.toBeInstanceOf(StorageFullError)
  })

  test('when reading a document', async () => {
    const child = start<DocumentTasks>('./office/document-process.ts')
    const file = { filename: document, format: 'docx' as const, folder: await folderWithFull('pages.ndjson') }
    await expect(child.run('read', file, options)).rejects.toBeInstanceOf(StorageFullError)
  })

  test('when drawing a page of a scan', async () => {
    const child = start<PictureTasks>('./image/picture-process.ts')
    const into = join(await folderWithFull('page.png'), 'page.png')
    const drawing = child.run('drawTiffPage', { filename: scan, page: 1, widthPixels: 30, into }, options)
    await expect(drawing).rejects.toBeInstanceOf(StorageFullError)
  })
})

test.each(['No space left on device', 'Disk quota exceeded'])('FFmpeg’s “%s” becomes a StorageFullError', (reason) => {
  expect(asMediaError(`av_interleaved_write_frame(): ${reason}`)).toBeInstanceOf(StorageFullError)
})
