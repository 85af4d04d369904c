import type { AdminSettingsResponseJson } from '@mira/shared'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'
import { useFieldErrors } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUnsavedDraft } from '../../../lib/session/kept-drafts.ts'
import {
  type FormError,
  findErrors,
  isSameValue,
  type SettingsForm,
  toForm,
  toSettings,
  withChanges,
} from './settings-form.ts'

/**
 * An administrator's unsaved changes, kept while other pages are open. Only differences between `before` and `after` are
 * theirs, since another administrator may save other settings in the meantime.
 */
interface Changes {
  before: SettingsForm
  after: SettingsForm
}

/** Engines may change at any time: a model finishes downloading, a server stops. */
const REFRESH_MS = 15_000

export const adminSettingsQuery = queryOptions({
  queryKey: ['admin-settings'],
  queryFn: ({ signal }) => call('GET /admin/settings', { signal }),
  refetchInterval: REFRESH_MS,
})

/** The instance's settings as form values with errors, and functions to change and save them. */
export function useSettingsForm() {
  const query = useQuery(adminSettingsQuery)
  return { query, ...useFields(query.data) }
}

function useFields(response: AdminSettingsResponseJson | undefined) {
  const text = useText('settings-admin')
  const queryClient = useQueryClient()
  const wordFieldErrors = useFieldErrors()
  const { draft, current, keep } = useUnsavedDraft<Changes>('admin-settings')
  const save = useMutation({
    mutationFn: async ({ before, after }: Changes) => {
      // All settings are sent, so the changes are applied to the latest ones, which may be another administrator's.
      const { settings } = await queryClient.fetchQuery({ ...adminSettingsQuery, staleTime: 0 })
      return call('PUT /admin/settings', { json: toSettings(withChanges(toForm(settings), before, after)) })
    },
    onSuccess: (saved, sent) => {
      queryClient.setQueryData(adminSettingsQuery.queryKey, saved)
      // Changes made since the request was sent stay unsaved.
      if (current() === sent) keep(undefined)
      for (const key of ['config', 'admin-models', 'admin-embeddings', 'admin-backups']) {
        void queryClient.invalidateQueries({ queryKey: [key] })
      }
    },
    onError: (error) => console.error('The settings could not be saved', error),
  })
  if (response === undefined) return { fields: null }

  const saved = toForm(response.settings)
  const form = draft === undefined ? saved : withChanges(saved, draft.before, draft.after)
  const formErrors = findErrors(form)
  const errorSentence = (error: FormError) =>
    error.kind === 'number' ? text('errors.number', { from: error.from, to: error.to }) : text(`errors.${error.kind}`)
  const serverErrors = wordFieldErrors(save.error)
  const isChanged = !isSameForm(form, saved)
  return {
    fields: {
      form,
      answer: response,
      isChanged,
      hasErrors: Object.keys(formErrors).length > 0,
      change(change: Partial<SettingsForm>) {
        save.reset()
        const after = { ...form, ...change }
        keep(isSameForm(after, saved) ? undefined : { before: saved, after })
      },
      discard() {
        save.reset()
        keep(undefined)
      },
      submit: () => draft && save.mutate(draft),
      save,
      /** Translated error of a field, from the form's validation or the server; undefined when it's valid. */
      errorOf: (path: string): string | undefined =>
        formErrors[path] ? errorSentence(formErrors[path]) : serverErrors[path],
      /** True for settings saved here, which override the environment. */
      isOverridden: (name: string) => response.decided.includes(name),
    },
  }
}

/** Values, errors and actions of the settings form, passed to its cards as `fields`. */
export type SettingsFields = NonNullable<ReturnType<typeof useFields>['fields']>

const isSameForm = (one: SettingsForm, other: SettingsForm) => isSameValue(toComparable(one), toComparable(other))

/** Normalises a form: drops automatic engines, which are the same as none, and the feeds' React keys. */
function toComparable(form: SettingsForm) {
  const engines = Object.entries(form.engines)
    .filter(([, { engine, model }]) => engine !== 'auto' || model.trim() !== '')
    .sort(([one], [other]) => one.localeCompare(other))
  return { ...form, engines, news_feeds: form.news_feeds.map(({ title, url, language }) => ({ title, url, language })) }
}
