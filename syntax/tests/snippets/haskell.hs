{-# LANGUAGE LambdaCase #-}
module Shop.Stock
  ( Item (..)
  , total
  , describe
  ) where

import Data.List (sortBy)
import qualified Data.Map.Strict as Map
import Data.Ord (comparing)

-- | Something to sell.
data Item = Item
  { itemName :: String
  , itemPrice :: !Double
  } deriving (Show, Eq)

class Priced a where
  price :: a -> Double
  price _ = 0

instance Priced Item where
  price = itemPrice

total :: (Priced a, Foldable f) => f a -> Double
total = foldr (\item acc -> price item + acc) 0

describe :: Map.Map String Item -> String -> Either String Item
describe stock name = case Map.lookup name stock of
  Just item
    | itemPrice item > 100 -> Left "too dear"
    | otherwise -> Right item
  Nothing -> Left ("no " ++ name)

main :: IO ()
main = do
  let items = [Item "pen" 1.5, Item { itemName = "desk", itemPrice = 120 }]
      sorted = sortBy (comparing itemPrice) items
  mapM_ print [(itemName i, p * 2) | i <- sorted, let p = price i, p > 1]
  print $ total sorted
