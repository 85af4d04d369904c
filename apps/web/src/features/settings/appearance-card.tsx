import { Moon, Sun } from 'lucide-react'
import { keepTheme } from '../../lib/account-preferences.ts'
import { useText } from '../../lib/i18n.ts'
import { useTheme } from '../../lib/theme.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ChoiceCards } from '../../ui/choice-cards.tsx'

/** Light or dark: shown and kept as soon as it is chosen. */
export function AppearanceCard() {
  const text = useText('settings')
  const { theme, choice } = useTheme()
  const isDark = theme === 'dark'
  return (
    <Card id="appearance" className="scroll-mt-40">
      <CardHeader
        title={text('appearance.title')}
        description={text('appearance.text')}
        actions={
          <Button
            size="sm"
            icon={isDark ? <Sun aria-hidden /> : <Moon aria-hidden />}
            onClick={() => keepTheme(isDark ? 'light' : 'dark')}
          >
            {text(isDark ? 'appearance.toLight' : 'appearance.toDark')}
          </Button>
        }
      />
      <ChoiceCards
        label={text('appearance.theme')}
        labelHidden
        value={theme}
        onValueChange={keepTheme}
        choices={[
          { value: 'light', label: text('appearance.light'), description: text('appearance.lightText'), icon: <Sun /> },
          { value: 'dark', label: text('appearance.dark'), description: text('appearance.darkText'), icon: <Moon /> },
        ]}
      />
      <div className="mt-4">
        <Checkbox
          label={text('appearance.system')}
          checked={choice === 'system'}
          onCheckedChange={(isChecked) => keepTheme(isChecked ? 'system' : theme)}
        />
      </div>
    </Card>
  )
}
