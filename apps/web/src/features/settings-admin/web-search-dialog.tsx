import type { UpdateWebSettings, WebSettings } from '@mira/shared'
import { CONNECTION_URL_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { type WebSearchProvider, webSearchAddresses, webSearchProviders } from '@mira/shared/constants/web'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { saveWebSettings } from '../../api/web.ts'
import { useErrorText, useFieldErrors } from '../../lib/error-text.ts'
import { FormDialog } from '../../lib/form-dialog.tsx'
import { useText } from '../../lib/i18n.ts'
import { Banner } from '../../ui/banner.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { KeyField, useKeyChange } from './key-field.tsx'

/** Search engine for the web: a service or one's own SearXNG. The key is write-only. */
export function WebSearchDialog({ settings, onSaved, onClose }: WebSearchDialogProps) {
  const text = useText('web')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const [provider, setProvider] = useState<WebSearchProvider | ''>(settings.provider ?? 'searxng')
  const [address, setAddress] = useState(settings.base_url ?? '')
  const key = useKeyChange()
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const save = useMutation({
    mutationFn: (wish: UpdateWebSettings) => saveWebSettings(wish),
    onSuccess: (saved) => {
      onSaved(saved)
      onClose()
    },
    onError: (error) => {
      // its words may repeat what was entered, and that holds the key
      console.error('The web search could not be saved')
      setWrong(fieldErrors(error))
    },
  })
  const submit = () => {
    const isMissing = provider !== '' && webSearchAddresses[provider] === null && address.trim() === ''
    setWrong(isMissing ? { base_url: text('form.addressRequired') } : {})
    if (isMissing) return
    save.mutate({
      allowed: settings.allowed,
      provider: provider === '' ? null : provider,
      base_url: provider === '' || address.trim() === '' ? null : address,
      ...key.change,
    })
  }
  const hasKey = settings.has_key && provider === settings.provider
  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('form.title')}
      onSubmit={submit}
      submitLabel={text('form.save')}
      isBusy={save.isPending}
    >
      <div className="flex flex-col gap-4">
        {save.isError && Object.keys(wrong).length === 0 && (
          <Banner tone="error">{errorText(save.error, text('failed'))}</Banner>
        )}
        <Select
          label={text('form.provider')}
          hint={text('form.providerHint')}
          value={provider}
          options={[
            ...webSearchProviders.map((value) => ({ value: value as string, label: text(`providers.${value}`) })),
            { value: '', label: text('none') },
          ]}
          onValueChange={(value) => {
            const chosen = webSearchProviders.find((one) => one === value) ?? ''
            setProvider(chosen)
            setAddress(chosen === '' ? '' : (webSearchAddresses[chosen] ?? ''))
          }}
        />
        {provider !== '' && (
          <>
            <TextField
              label={text('form.address')}
              type="url"
              required={webSearchAddresses[provider] === null}
              hint={text(`form.addressHint.${provider}`)}
              maxLength={CONNECTION_URL_MAX_CHARACTERS}
              autoComplete="off"
              spellCheck={false}
              value={address}
              error={wrong.base_url}
              onChange={(event) => setAddress(event.target.value)}
            />
            <KeyField
              of={key}
              isKept={hasKey}
              hint={text(hasKey ? 'form.keyKept' : provider === 'searxng' ? 'form.keyHintOwn' : 'form.keyHint')}
              error={wrong.api_key}
            />
          </>
        )}
      </div>
    </FormDialog>
  )
}

interface WebSearchDialogProps {
  settings: WebSettings
  onSaved: (settings: WebSettings) => void
  onClose: () => void
}
