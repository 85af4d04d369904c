import { useUser } from '../../lib/session.ts'
import { createStore, useStore } from '../../lib/store.ts'
import type { SettingsForm } from './settings-form.ts'

/** An administrator's unsaved changes, kept while other screens are open. */
interface KeptDraft {
  userId: string
  form: SettingsForm
}

const draftStore = createStore<KeptDraft | null>(null)

const warn = (event: BeforeUnloadEvent) => event.preventDefault()

// the browser asks before it closes or loads the page, wherever in the app somebody is by then
draftStore.subscribe((draft) => {
  window.removeEventListener('beforeunload', warn)
  if (draft !== null) window.addEventListener('beforeunload', warn)
})

/** The changes of the signed-in administrator that were not saved; null when there are none. */
export function useSettingsDraft(): [SettingsForm | null, (form: SettingsForm | null) => void] {
  const { id } = useUser()
  const kept = useStore(draftStore)
  return [kept?.userId === id ? kept.form : null, (form) => draftStore.set(form && { userId: id, form })]
}
