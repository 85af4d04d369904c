import { createStore, useStore } from '../../../lib/loading/store.ts'
import { useUnsavedDraft } from '../../../lib/session/kept-drafts.ts'

/** A recording that the server hasn't transcribed or stored yet. */
export interface UnsentRecording {
  id: string
  recordedAt: Date
  audio: Blob
}

/** Purpose of sending a recording. */
type SendingPurpose = 'transcribe' | 'save'

/** Recordings being sent, by id. */
type Sending = ReadonlyMap<string, { purpose: SendingPurpose; isRetry: boolean }>

const none: readonly UnsentRecording[] = []
const sendingStore = createStore<Sending>(new Map())

/** The user's recordings in this tab that couldn't be sent, until they're sent or discarded. */
export function useUnsentRecordings() {
  const { draft = none, current, keep } = useUnsavedDraft<readonly UnsentRecording[]>('recordings')
  const sending = useStore(sendingStore)
  const othersThan = (id: string) => (current() ?? none).filter((one) => one.id !== id)
  const discard = (id: string) => {
    const others = othersThan(id)
    keep(others.length > 0 ? others : undefined)
  }

  /** Adds a recording, also after it was discarded. */
  const restore = (recording: UnsentRecording) => keep([...othersThan(recording.id), recording])

  /** Sends a recording, which is kept if that fails, and discarded if `signal` aborts it. */
  const send = async <Result>(
    recording: UnsentRecording,
    purpose: SendingPurpose,
    work: (audio: Blob) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    const { id, audio } = recording
    const isRetry = current()?.some((one) => one.id === id) ?? false
    if (!isRetry) restore(recording)
    sendingStore.set(new Map([...sendingStore.get(), [id, { purpose, isRetry }]]))
    try {
      const result = await work(audio)
      discard(id)
      return result
    } catch (error) {
      if (signal?.aborted) discard(id)
      throw error
    } finally {
      sendingStore.set(new Map([...sendingStore.get()].filter(([one]) => one !== id)))
    }
  }
  return {
    /** Recordings whose first attempt failed, including those being sent again. */
    failed: draft.filter(({ id }) => sending.get(id)?.isRetry !== false),
    /** Purpose for which a recording is being sent; undefined when it isn't. */
    purposeOf: (id: string) => sending.get(id)?.purpose,
    discard,
    restore,
    send,
  }
}
