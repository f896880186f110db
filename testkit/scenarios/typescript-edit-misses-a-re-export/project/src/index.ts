export { lift } from "./crane";
