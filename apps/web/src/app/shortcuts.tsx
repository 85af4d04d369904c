import { useShortcut, useShortcuts, useShortcutsEnabled } from '../lib/browser/keyboard.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { createStore, useStore } from '../lib/loading/store.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Switch } from '../ui/switch.tsx'

/** Symbols for keys that have one. */
const symbols: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' }

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)
const isOpenStore = createStore(false)

export function showShortcuts(): void {
  isOpenStore.set(true)
}

/** List of keyboard shortcuts, opened with "?". */
export function Shortcuts() {
  const text = useText('app')
  const isOpen = useStore(isOpenStore)
  const [areEnabled, setAreEnabled] = useShortcutsEnabled()
  const shortcuts = useShortcuts()
  /** Translated name of a key. */
  const nameOf = (key: string) => {
    if (key === 'Delete') return text('shortcuts.keys.delete')
    if (key === 'Escape') return text('shortcuts.keys.escape')
    return symbols[key] ?? (key.length === 1 ? key.toUpperCase() : key)
  }
  const groups = Map.groupBy(
    shortcuts.filter(({ key }, index) => shortcuts.findLastIndex((one) => one.key === key) === index),
    ({ group }) => group,
  )
  useShortcut({
    key: '?',
    label: text('shortcuts.show'),
    group: text('shortcuts.everywhere'),
    onPress: showShortcuts,
  })

  return (
    <Dialog
      open={isOpen}
      onOpenChange={isOpenStore.set}
      title={text('shortcuts.title')}
      closeLabel={text('common.close')}
    >
      <div tabIndex={-1} data-autofocus="" className="flex flex-col gap-5 outline-none">
        <p className="flex items-center justify-between gap-4 text-14">
          {text('palette.title')}
          <span className="flex gap-1">
            <Kbd>{isMac ? '⌘' : text('shortcuts.keys.control')}</Kbd>
            <Kbd>K</Kbd>
          </span>
        </p>
        {[...groups].map(([group, entries]) => (
          <section key={group}>
            <h3 className="mb-1 text-13 font-medium text-muted">{group}</h3>
            <dl>
              {entries.map(({ key, label }) => (
                <div key={key} className="flex min-h-9 items-center justify-between gap-4 text-14">
                  <dt>{label}</dt>
                  <dd>
                    <Kbd>{nameOf(key)}</Kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <Switch
          label={text('shortcuts.enabled')}
          description={text('shortcuts.enabledHint')}
          checked={areEnabled}
          onCheckedChange={setAreEnabled}
          className="border-t border-border pt-4"
        />
      </div>
    </Dialog>
  )
}
