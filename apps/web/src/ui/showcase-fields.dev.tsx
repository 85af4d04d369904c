import { Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { Card } from './card.tsx'
import { Checkbox } from './checkbox.tsx'
import { ChoiceCards } from './choice-cards.tsx'
import { PasswordField } from './password-field.tsx'
import { SearchField } from './search-field.tsx'
import { Select } from './select.tsx'
import { Switch } from './switch.tsx'
import { TextArea } from './text-area.tsx'
import { TextField } from './text-field.tsx'

/** All form fields. */
export function Fields() {
  const [search, setSearch] = useState('beach')
  const [language, setLanguage] = useState<'en' | 'es' | 'fr' | 'de'>('en')
  const [isOn, setIsOn] = useState(true)
  const [theme, setTheme] = useState<'light' | 'dark'>('light')
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card className="flex flex-col gap-4">
        <TextField label="Username" placeholder="ada" autoComplete="off" />
        <PasswordField label="Password" showLabel="Show password" hideLabel="Hide password" defaultValue="secret" />
        <TextField label="Email" defaultValue="ada@" error="Enter a whole address, such as ada@example.org" />
        <TextField label="Full Name" defaultValue="Ada Lovelace" readOnly hint="An admin can change this." />
        <TextField label="Disabled" defaultValue="not now" disabled />
        <TextArea label="Note" placeholder="What should Mira remember?" />
      </Card>
      <Card className="flex flex-col gap-4">
        <SearchField
          label="Search memory logs"
          clearLabel="Clear search"
          placeholder="Search memory logs..."
          value={search}
          onValueChange={setSearch}
        />
        <Select
          label="Language"
          value={language}
          onValueChange={setLanguage}
          options={[
            { value: 'en', label: 'English' },
            { value: 'es', label: 'Spanish' },
            { value: 'fr', label: 'French' },
            { value: 'de', label: 'German' },
          ]}
        />
        <ChoiceCards
          label="Appearance"
          value={theme}
          onValueChange={setTheme}
          choices={[
            { value: 'light', label: 'Light', description: 'Bright and clear', icon: <Sun /> },
            { value: 'dark', label: 'Dark', description: 'Easy on the eyes', icon: <Moon /> },
          ]}
        />
        <Switch
          label="Auto Save"
          description="Keep what you write before you send it."
          checked={isOn}
          onCheckedChange={setIsOn}
        />
        <Switch label="Data Saver Mode" checked={false} onCheckedChange={() => {}} />
        <Switch label="Usage Analytics" checked disabled onCheckedChange={() => {}} />
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          <Checkbox label="Include video frames" checked={isOn} onCheckedChange={setIsOn} />
          <Checkbox label="Some" checked={false} indeterminate onCheckedChange={() => {}} />
          <Checkbox label="None" checked={false} onCheckedChange={() => {}} />
          <Checkbox label="Disabled" checked disabled onCheckedChange={() => {}} />
        </div>
      </Card>
    </div>
  )
}
