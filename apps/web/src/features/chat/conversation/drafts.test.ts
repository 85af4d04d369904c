import type { AttachedMedia } from '@mira/shared'
import { describe, expect, it, vi } from 'vitest'
import { unsentPictures } from '../../../lib/session/unsent-work.ts'
import type { OutgoingPicture } from './conversation-state.ts'
import { createDrafts, createPictureStore, type Drafts } from './drafts.ts'

function setUp({ mayStore = true, userId = 'u1', stored = new Map<string, string>() } = {}) {
  const storedPictures = new Map<string, readonly OutgoingPicture[]>()
  const settings = { mayStore, isPaused: false }
  const drafts = createDrafts({
    userId,
    mayStore: () => settings.mayStore && !settings.isPaused,
    isPaused: () => settings.isPaused,
    storage: {
      read: (key) => stored.get(key) ?? null,
      write: (key, value) => void (value === null ? stored.delete(key) : stored.set(key, value)),
    },
    pictures: {
      read: async (name) => [...(storedPictures.get(name) ?? [])],
      keep: async (name, pictures) =>
        void (pictures.length === 0 ? storedPictures.delete(name) : storedPictures.set(name, pictures)),
      storeAll: async () => undefined,
    },
  })
  return { drafts, stored, settings, storedPictures }
}

const cat = { name: 'cat.png', url: 'blob:cat', data: 'data:image/png;base64,AAAA' }
const message = { client_id: 'c1', content: 'Hello', created_at: '2026-11-20T12:00:00.000Z' }

describe('drafts', () => {
  it('are kept per conversation across reloads', () => {
    const { drafts, stored } = setUp()
    drafts.write(null, 'new')
    drafts.write('s1', 'one')
    const reloaded = setUp({ stored }).drafts
    expect([reloaded.read(null), reloaded.read('s1'), reloaded.read('s2')]).toEqual(['new', 'one', ''])
  })

  it('are not shown to another user in the same browser', () => {
    const { drafts, stored } = setUp()
    drafts.write(null, 'mine')
    expect(setUp({ stored, userId: 'u2' }).drafts.read(null)).toBe('')
  })

  it('last only as long as the page when Auto Save is off', () => {
    const { drafts, stored } = setUp({ mayStore: false })
    drafts.write('s1', 'one')
    expect(drafts.read('s1')).toBe('one')
    expect(stored.size).toBe(0)
    expect(setUp({ stored }).drafts.read('s1')).toBe('')
  })

  it('move to the id of their new conversation, unlike messages sent from another tab', () => {
    const { drafts, stored } = setUp()
    drafts.write(null, 'half written')
    drafts.unsent.keep(null, message)
    drafts.unsent.keep(null, { ...message, client_id: 'c2' })
    drafts.unsent.adopt('s1', new Set(['c1']), true)
    expect([drafts.read('s1'), drafts.unsent.list('s1')]).toEqual(['half written', [message]])
    expect([drafts.read(null), drafts.unsent.list(null)]).toEqual(['', [{ ...message, client_id: 'c2' }]])
    drafts.write(null, 'the next one')
    drafts.unsent.adopt('s2', new Set(['c2']), false)
    expect([drafts.read(null), drafts.read('s2'), drafts.unsent.list('s2').length]).toEqual(['the next one', '', 1])
    expect(setUp({ stored }).drafts.read('s1')).toBe('half written')
  })

  it('leave nothing in the browser once they are emptied', () => {
    const { drafts, stored } = setUp()
    drafts.write('s1', 'one')
    drafts.write('s1', '')
    expect(stored.size).toBe(0)
  })

  it('count as empty when they are corrupt', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const stored = new Map([
      ['chat.draft.u1.s1', '{'],
      ['chat.draft.u1.s2', '7'],
      ['chat.draft.u1.s3', '{"draft":1,"unsent":[{"client_id":"c"},3]}'],
    ])
    const { drafts } = setUp({ stored })
    expect(['s1', 's2', 's3'].map((id) => [drafts.read(id), drafts.unsent.list(id)])).toEqual([
      ['', []],
      ['', []],
      ['', []],
    ])
  })
})

describe('unsent messages', () => {
  it('are kept beside the draft until they are stored', () => {
    const { drafts } = setUp()
    drafts.unsent.keep('s1', message)
    drafts.write('s1', 'next')
    expect(drafts.unsent.list('s1')).toEqual([message])
    drafts.unsent.forget('s1', 'c1')
    expect(drafts.unsent.list('s1')).toEqual([])
    expect(drafts.read('s1')).toBe('next')
  })

  it('are not duplicated when they are sent again', () => {
    const { drafts } = setUp()
    drafts.unsent.keep(null, message)
    drafts.unsent.keep(null, message)
    expect(drafts.unsent.list(null)).toEqual([message])
  })

  it('are deleted with their conversation', () => {
    const { drafts, stored } = setUp()
    drafts.unsent.keep('s1', message)
    drafts.forgetSession('s1')
    expect(stored.size).toBe(0)
  })
})

it('stores nothing that arrives late for a deleted conversation, until it is opened again', () => {
  const { drafts, stored, storedPictures } = setUp()
  drafts.forgetSession('s1')
  drafts.write('s1', 'dictated')
  drafts.pictures.write('s1', [cat])
  drafts.unsent.keep('s1', { ...message, picture_count: 1 }, [cat])
  expect(stored.size + storedPictures.size).toBe(0)
  drafts.openSession('s1')
  drafts.write('s1', 'restored from the trash')
  expect(drafts.read('s1')).toBe('restored from the trash')
})

describe('images', () => {
  const messageWithPicture = { ...message, picture_count: 1 }

  it('are kept and forgotten with their message', async () => {
    const { drafts, storedPictures } = setUp()
    drafts.unsent.keep('s1', messageWithPicture, [cat])
    drafts.unsent.keep('s1', { ...messageWithPicture, content: 'Hello again' })
    expect(await drafts.unsent.pictures('c1')).toEqual([cat])
    drafts.unsent.forget('s1', 'c1')
    expect(await drafts.unsent.pictures('c1')).toEqual([])
    expect(storedPictures.size).toBe(0)
  })

  it('are kept per conversation until they are sent', async () => {
    const { drafts } = setUp()
    drafts.pictures.write(null, [cat])
    expect(await drafts.pictures.read(null)).toEqual([cat])
    expect(await drafts.pictures.read('s1')).toEqual([])
  })

  it('are deleted with their conversation', () => {
    const { drafts, storedPictures } = setUp()
    drafts.pictures.write('s1', [cat])
    drafts.unsent.keep('s1', messageWithPicture, [cat])
    drafts.forgetSession('s1')
    expect(storedPictures.size).toBe(0)
  })
})

/** Stores pictures in memory in place of the browser's database; returns what is stored. */
function fakeDatabase() {
  const records = new Map<string, unknown>()
  const store = {
    put: (value: unknown, key: string) => void records.set(key, value),
    delete: (key: string) => void records.delete(key),
    get: (key: string) => records.get(key),
    openCursor: () => ({}),
  }
  vi.spyOn(unsentPictures, 'use').mockImplementation(async (_mode, makeRequest) => makeRequest(store as never) as never)
  return records
}

it('pictures last as long as the page when Auto Save is off, although nothing is stored', async () => {
  const records = fakeDatabase()
  const store = createPictureStore({ userId: 'u1', mayStore: () => false })
  await store.keep('draft/new', [cat])
  expect(await store.read('draft/new')).toEqual([cat])
  expect(records.size).toBe(0)
  await store.keep('draft/new', [])
  expect(await store.read('draft/new')).toEqual([])
})

it.each([
  [true, false],
  [false, true],
])('nothing vanishes when Auto Save was %s and is then %s', async (before, after) => {
  const records = fakeDatabase()
  const settings = { mayStore: before }
  const stored = new Map<string, string>()
  const open = () => {
    const owner = { userId: 'u1', mayStore: () => settings.mayStore }
    const storage = {
      read: (key: string) => stored.get(key) ?? null,
      write: (key: string, value: string | null) => void (value === null ? stored.delete(key) : stored.set(key, value)),
    }
    return createDrafts({ ...owner, storage, pictures: createPictureStore(owner) })
  }
  const item = { media_id: 'm1', title: 'Figs', media_type: 'image' } as AttachedMedia
  const written = open()
  written.write('s1', 'Dear Ann,')
  written.media.write('s1', [item])
  written.pictures.write('s1', [cat])
  const names = async ({ read, media, pictures }: Drafts) => [
    read('s1'),
    media.read('s1'),
    (await pictures.read('s1')).map(({ name, data }) => ({ name, data })),
  ]
  const all = ['Dear Ann,', [item], [{ name: cat.name, data: cat.data }]]
  expect(await names(written)).toEqual(all)
  settings.mayStore = after
  if (after) written.storeAll()
  expect(await names(written)).toEqual(all)
  // Also in a page that was opened again before Auto Save was turned off.
  expect(await names(open())).toEqual(all)
  written.write('s1', '')
  written.media.write('s1', [])
  written.pictures.write('s1', [])
  expect(await names(written)).toEqual(['', [], []])
  expect(stored.size + records.size).toBe(0)
})

it('pictures that the browser can’t store last as long as the page', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.spyOn(unsentPictures, 'use').mockRejectedValue(new Error('no database'))
  const store = createPictureStore({ userId: 'u1', mayStore: () => true })
  await store.keep('draft/new', [cat])
  expect(await store.read('draft/new')).toEqual([cat])
})

it('pictures are stored although others can’t be', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const records = fakeDatabase()
  const settings = { mayStore: false }
  const store = createPictureStore({ userId: 'u1', mayStore: () => settings.mayStore })
  await store.keep('draft/new', [cat])
  await store.keep('draft/s1', [cat])
  settings.mayStore = true
  vi.mocked(unsentPictures.use).mockRejectedValueOnce(new Error('too large'))
  await store.storeAll()
  expect([...records.keys()]).toEqual(['u1/draft/s1'])
  expect(await store.read('draft/new')).toEqual([cat])
})

describe('once Auto Save is on in two tabs', () => {
  const other = { ...message, client_id: 'c2', content: 'Hello again' }
  const openTabs = () => {
    const stored = new Map<string, string>()
    const tabs = [setUp({ stored, mayStore: false }), setUp({ stored, mayStore: false })] as const
    const turnOn = () => {
      for (const { settings, drafts } of tabs) {
        settings.mayStore = true
        drafts.storeAll()
      }
      return setUp({ stored }).drafts
    }
    return { tabs, turnOn }
  }

  it('the unsent messages of both are kept, each once', () => {
    const { tabs, turnOn } = openTabs()
    const [first, second] = tabs
    const third = { ...message, client_id: 'c3' }
    first.drafts.unsent.keep('s1', third)
    first.drafts.unsent.keep('s1', message)
    second.drafts.unsent.keep('s1', { ...message, content: 'Hello, edited' })
    second.drafts.unsent.keep('s1', other)
    expect(turnOn().unsent.list('s1')).toEqual([third, { ...message, content: 'Hello, edited' }, other])
  })

  it('an empty draft replaces nothing', () => {
    const { tabs, turnOn } = openTabs()
    const [first, second] = tabs
    const item = { media_id: 'm1', title: 'Figs', media_type: 'image' } as AttachedMedia
    first.drafts.write('s1', 'Dear Ann,')
    first.drafts.media.write('s1', [item])
    second.drafts.unsent.keep('s1', other)
    const drafts = turnOn()
    expect([drafts.read('s1'), drafts.media.read('s1'), drafts.unsent.list('s1')]).toEqual([
      'Dear Ann,',
      [item],
      [other],
    ])
  })

  it('a written draft is the last tab’s', () => {
    const { tabs, turnOn } = openTabs()
    const [first, second] = tabs
    first.drafts.write('s1', 'Dear Ann,')
    second.drafts.write('s1', 'Dear Bob,')
    expect(turnOn().read('s1')).toBe('Dear Bob,')
  })
})

describe('once Auto Save is off in two tabs', () => {
  const waiting = { ...message, isWaiting: true as const }
  const openTabs = () => {
    const stored = new Map<string, string>()
    const tabs = [setUp({ stored }), setUp({ stored })] as const
    const turnOff = () => {
      for (const { settings } of tabs) settings.mayStore = false
    }
    return { sender: tabs[0].drafts, writer: tabs[1].drafts, turnOff, stored }
  }

  it('a queued message outlives a draft written in the other tab, until it is sent', () => {
    const { sender, writer, turnOff, stored } = openTabs()
    sender.unsent.keep('s1', waiting)
    writer.write('s1', 'Dear')
    turnOff()
    writer.write('s1', 'Dear Ann,')
    expect(writer.read('s1')).toBe('Dear Ann,')
    expect(stored.get('chat.draft.u1.s1')).not.toContain('Dear')
    expect(sender.unsent.list('s1')).toEqual([waiting])
    sender.unsent.keep('s1', message)
    expect([sender.unsent.list('s1'), writer.unsent.list('s1')]).toEqual([[message], [message]])
    sender.unsent.forget('s1', 'c1')
    expect([sender.unsent.list('s1'), writer.unsent.list('s1'), writer.read('s1')]).toEqual([[], [], 'Dear Ann,'])
    expect(stored.size).toBe(0)
  })

  it('a queued message moves to its new conversation, and a later one is only in memory', () => {
    const { sender, writer, turnOff, stored } = openTabs()
    sender.unsent.keep(null, waiting)
    turnOff()
    const later = { ...waiting, client_id: 'c2' }
    sender.unsent.keep(null, later)
    sender.unsent.adopt('s1', new Set(['c1', 'c2']), true)
    expect([sender.unsent.list('s1'), sender.unsent.list(null)]).toEqual([[waiting, later], []])
    expect([writer.unsent.list('s1'), [...stored.keys()]]).toEqual([[waiting], ['chat.draft.u1.s1']])
  })

  it('a deleted conversation leaves nothing', () => {
    const { sender, writer, turnOff, stored } = openTabs()
    sender.unsent.keep('s1', waiting)
    turnOff()
    writer.write('s1', 'Dear Ann,')
    writer.forgetSession('s1')
    expect([writer.read('s1'), writer.unsent.list('s1'), stored.size]).toEqual(['', [], 0])
  })
})

describe('while the session is paused', () => {
  const other = { ...message, client_id: 'c2', content: 'Hello again' }
  const third = { ...message, client_id: 'c3' }
  const pause = () => {
    const stored = new Map<string, string>()
    const tab = setUp({ stored })
    tab.drafts.write('s1', 'Dear Ann,')
    tab.drafts.unsent.keep('s1', message)
    tab.drafts.unsent.keep('s1', other)
    tab.settings.isPaused = true
    return { ...tab, reload: () => setUp({ stored }).drafts }
  }

  it('a message that was sent is forgotten, and nothing else', () => {
    const { drafts, reload } = pause()
    drafts.unsent.forget('s1', 'c1')
    expect([drafts.unsent.list('s1'), reload().unsent.list('s1'), reload().read('s1')]).toEqual([
      [other],
      [other],
      'Dear Ann,',
    ])
  })

  it('new work leaves the stored work alone, and is stored afterwards', () => {
    const { drafts, settings, stored, reload } = pause()
    const before = stored.get('chat.draft.u1.s1')
    drafts.write('s1', 'Dear Bob,')
    drafts.unsent.keep('s1', third)
    expect(stored.get('chat.draft.u1.s1')).toBe(before)
    expect([drafts.read('s1'), drafts.unsent.list('s1')]).toEqual(['Dear Bob,', [message, other, third]])
    settings.isPaused = false
    drafts.storeAll()
    expect([reload().read('s1'), reload().unsent.list('s1')]).toEqual(['Dear Bob,', [message, other, third]])
  })

  it('stored pictures stay until others can be stored', async () => {
    const records = fakeDatabase()
    const settings = { isPaused: false }
    const store = createPictureStore({
      userId: 'u1',
      mayStore: () => !settings.isPaused,
      isPaused: () => settings.isPaused,
    })
    await store.keep('draft/new', [cat])
    await store.keep('draft/s1', [cat])
    settings.isPaused = true
    await store.keep('draft/new', [])
    await store.keep('draft/s1', [{ ...cat, name: 'dog.png' }])
    expect([...records.keys()]).toEqual(['u1/draft/new', 'u1/draft/s1'])
    expect([await store.read('draft/new'), (await store.read('draft/s1')).map(({ name }) => name)]).toEqual([
      [],
      ['dog.png'],
    ])
    settings.isPaused = false
    await store.storeAll()
    expect([...records.keys()]).toEqual(['u1/draft/s1'])
  })
})
