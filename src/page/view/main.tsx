import { prepare } from "../prepare.ts"
import { startView } from "./startView.tsx"

prepare()
startView()
