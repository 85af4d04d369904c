import { createSemaphore } from '../../../platform/lib/semaphore.ts'
import type { Fetched, FetchOptions, WebFetcher } from '../../../platform/net/web-fetcher.ts'
import type { ReceivedFile } from '../../../platform/storage/files.ts'
import type { UploadService } from './upload.service.ts'

/** A downloaded file, before it's stored. */
export type WebFile = Extract<Fetched<ReceivedFile>, { isOk: true }>

export type WebFiles = ReturnType<typeof createWebFiles>

/** Downloads files from the web for users, straight to the disk. */
export function createWebFiles({
  fetcher,
  uploads,
}: {
  fetcher: Pick<WebFetcher, 'receive'>
  uploads: Pick<UploadService, 'admit' | 'receive'>
}) {
  const semaphore = createSemaphore({
    permits: 16,
    perUser: 4,
    maxWaiting: 400,
    maxWaitingPerUser: 60,
    busy: 'Too many pages are being fetched right now. Try again in a moment.',
  })

  return {
    /**
     * Downloads a file, which `use` has to accept or discard before it returns.
     * @throws the error made by `onFailure`, and what an upload throws; the file is then discarded.
     */
    download: <Result>(
      { userId, url, onFailure, ...options }: WebFileOptions,
      use: (file: WebFile) => Promise<Result>,
    ): Promise<Result> =>
      semaphore.run(
        async () => {
          // The size is only known after the download, but a user who has no storage left at all is refused before it.
          const fetched = await uploads.admit(userId, 0, () => fetcher.receive(url, options, uploads.receive))
          if (!fetched.isOk) throw onFailure(fetched)
          try {
            return await uploads.admit(userId, fetched.body.sizeBytes, () => use(fetched))
          } catch (error) {
            await fetched.body.discard()
            throw error
          }
        },
        { userId, signal: options.signal },
      ),
  }
}

interface WebFileOptions extends FetchOptions {
  userId: string
  url: string
  onFailure(failure: Exclude<Fetched, { isOk: true }>): Error
}
